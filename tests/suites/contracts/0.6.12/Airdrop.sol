// SPDX-License-Identifier: MIT
pragma solidity ^0.6.0;

contract Airdrop {
    mapping(address => uint256) public credit;
    address payable[] public winners;

    function fund(address[] calldata people) external payable {
        for (uint256 i = 0; i < people.length; i++) {
            credit[people[i]] += msg.value; // planted: msg-value-loop
        }
    }

    function lucky() external view returns (address payable) {
        uint256 seed = uint256(keccak256(abi.encodePacked(now, msg.sender)));
        uint256 pick = now % winners.length; // planted: weak-prng
        return seed > 0 ? winners[pick] : winners[0];
    }

    function pay(address payable to) external {
        to.transfer(credit[to] / 2);
    }
}
