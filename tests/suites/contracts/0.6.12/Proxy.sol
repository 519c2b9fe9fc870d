// SPDX-License-Identifier: MIT
pragma solidity ^0.6.0;

contract Proxy {
    address public logic;
    address public admin;

    constructor(address first) public {
        logic = first;
        admin = msg.sender;
    }

    function upgradeAndCall(address next, bytes calldata setup) external {
        logic = next;
        (bool ok, ) = next.delegatecall(setup); // planted: controlled-delegatecall
        require(ok, "set-up failed");
    }

    function destroy() public {
        selfdestruct(msg.sender); // planted: suicidal
    }

    receive() external payable {}
}
