// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Treasury {
    uint256 public constant UNIT = 10 ^ 18; // planted: incorrect-exp
    mapping(address => uint256) public budget;
    address public council;

    constructor(address members) payable {
        council = members;
    }

    function allot(address team, uint256 units) external {
        require(msg.sender == council, "council only");
        budget[team] = (units / 100) * UNIT; // planted: divide-before-multiply
    }

    function grant(address payable team, uint256 amount) external {
        payable(team).transfer(amount); // planted: arbitrary-send-eth
    }

    function ping(address team) external {
        team.call(""); // planted: unchecked-lowlevel
    }
}
