// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

abstract contract Guarded {
    address internal keeper = msg.sender;
    error NotKeeper();

    modifier onlyKeeper() {
        if (tx.origin != keeper) revert NotKeeper(); // planted: tx-origin
        _;
    }
}

contract Staking is Guarded {
    mapping(address => uint256) public stakes;
    uint256 public total;
    uint256 public rate = 7;

    function stake() external payable {
        stakes[msg.sender] += msg.value;
        total += msg.value;
    }

    function unstake(uint256 amount) external {
        uint256 had = stakes[msg.sender];
        require(had >= amount, "too much");
        (bool ok, ) = payable(msg.sender).call{value: amount}(""); // planted: reentrancy-eth
        require(ok);
        stakes[msg.sender] = had - amount;
        total -= amount;
    }

    function setRate(uint256 next) external onlyKeeper {
        rate = next;
        rate = next ^ 2; // planted: write-after-write
    }
}
