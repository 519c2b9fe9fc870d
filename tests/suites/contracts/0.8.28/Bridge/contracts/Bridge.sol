// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC20} from "@tokens/IERC20.sol";

contract Bridge {
    event Locked(address indexed from, address token, uint256 amount, bytes32 to);

    address public immutable relayer;
    mapping(bytes32 => bool) public done;

    constructor(address who) {
        relayer = who;
    }

    function lock(address token, address from, uint256 amount, bytes32 to) external {
        bool ok = IERC20(token).transferFrom(from, address(this), amount); // planted: arbitrary-send-erc20
        require(ok, "not paid");
        emit Locked(from, token, amount, to);
    }

    function unlock(bytes32 id, address token, address to, uint256 amount) external {
        require(msg.sender == relayer && !done[id], "refused");
        done[id] = true;
        IERC20(token).transfer(to, amount); // planted: unchecked-transfer
    }

    function leaf(string calldata chain, string calldata account) external pure returns (bytes32) {
        return keccak256(abi.encodePacked(chain, account)); // planted: encode-packed-collision
    }
}
