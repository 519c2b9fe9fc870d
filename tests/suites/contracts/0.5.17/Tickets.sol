pragma solidity ^0.5.0;

contract Tickets {
    string public name = "Tickets";
    uint8 public seats;
    mapping(address => uint256) public held;

    function buy() external payable { // planted: locked-ether
        require(msg.value >= 1 finney, "one finney a ticket");
        held[msg.sender] += msg.value / 1 finney;
    }

    function addSeats(uint8 more) external {
        require(more >= 0, "never negative"); // planted: tautology
        seats += more;
    }
}
