// SPDX-License-Identifier: MIT
pragma solidity ^0.6.0;

contract Auction {
    address payable public seller;
    address payable public highestBidder;
    uint256 public highestBid;
    uint256 public immutable ends;
    mapping(address => uint256) public refunds;

    constructor(uint256 duration) public {
        seller = msg.sender;
        ends = block.timestamp + duration;
    }

    function bid() external payable {
        require(block.timestamp < ends, "over");
        require(msg.value > highestBid, "too low");
        if (highestBidder != address(0)) {
            refunds[highestBidder] += highestBid;
        }
        highestBidder = msg.sender;
        highestBid = msg.value;
    }

    function refund() external {
        uint256 amount = refunds[msg.sender];
        if (amount != 0) {
            (bool ok, ) = msg.sender.call{value: amount}(""); // planted: reentrancy-eth
            if (ok) {
                refunds[msg.sender] = 0;
            }
        }
    }

    function close() external {
        require(block.timestamp >= ends, "running");
        seller.call{value: highestBid}(""); // planted: unchecked-lowlevel
    }
}
