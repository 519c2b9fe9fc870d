// SPDX-License-Identifier: MIT
pragma solidity ^0.6.0;

import "./base/Pool.sol";

contract Farm is Pool {
    address public governor;
    uint256 public rewardPerBlock;

    constructor(IToken token) public {
        stakeToken = token;
        governor = msg.sender;
    }

    function setReward(uint256 perBlock) external {
        require(tx.origin == governor, "governor only"); // planted: tx-origin
        rewardPerBlock = perBlock;
    }

    function pending(address user, uint256 blocks) external view returns (uint256) {
        return ((rewardPerBlock * blocks) / total) * staked[user]; // planted: divide-before-multiply
    }
}
