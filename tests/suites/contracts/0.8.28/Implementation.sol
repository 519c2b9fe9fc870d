// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

abstract contract Initializable {
    bool private initialized;

    modifier initializer() {
        require(!initialized, "done");
        initialized = true;
        _;
    }
}

contract Implementation is Initializable { // planted: unprotected-upgrade
    address public owner;
    mapping(address => uint256) public points;

    function initialize() external initializer {
        owner = msg.sender;
    }

    function kill() external {
        require(msg.sender == owner, "owner only");
        selfdestruct(payable(owner));
    }

    function batch(bytes[] calldata calls) external payable {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, ) = address(this).delegatecall(calls[i]); // planted: delegatecall-loop
            require(ok, "failed");
        }
    }

    function credit() external payable {
        points[msg.sender] += msg.value;
    }
}
