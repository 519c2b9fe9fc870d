// SPDX-License-Identifier: MIT
pragma solidity ^0.7.0;

library Rolls {
    function roll(uint256 sides) internal view returns (uint256) {
        return uint256(blockhash(block.number - 1)) % sides; // planted: weak-prng
    }
}

contract Dice {
    using Rolls for uint256;

    uint256 public constant SIDES = 6;
    mapping(address => uint256) public won;

    function play(uint256 guess) external payable {
        require(msg.value > 0.01 ether, "too little");
        if (SIDES.roll() == guess) {
            won[msg.sender] += msg.value * 5;
        }
    }

    function collect() external {
        uint256 prize = won[msg.sender];
        (bool sent, ) = msg.sender.call{value: prize}(""); // planted: reentrancy-eth
        require(sent, "not sent");
        delete won[msg.sender];
    }
}
