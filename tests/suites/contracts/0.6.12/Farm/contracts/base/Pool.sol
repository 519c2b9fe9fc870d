// SPDX-License-Identifier: MIT
pragma solidity ^0.6.0;

import "../interfaces/IToken.sol";

abstract contract Pool {
    IToken public stakeToken;
    mapping(address => uint256) public staked;
    uint256 public total;

    function stake(uint256 amount) public virtual {
        stakeToken.transferFrom(msg.sender, address(this), amount); // planted: unchecked-transfer
        staked[msg.sender] += amount;
        total += amount;
    }
}
