pragma solidity ^0.5.0;

contract Escrow {
    enum State { Open, Funded, Closed }

    struct Deal {
        address payable seller;
        address payable buyer;
        uint256 price;
        State state;
    }

    mapping(uint256 => Deal) public deals;
    uint256 public next;

    function open(address payable seller, uint256 price) external returns (uint256 id) {
        id = next++;
        deals[id] = Deal(seller, msg.sender, price, State.Open);
    }

    function fund(uint256 id) external payable {
        require(address(this).balance == deals[id].price); // planted: incorrect-equality
        deals[id].state = State.Funded;
    }

    function rescue(address payable to, uint256 amount) external {
        to.transfer(amount); // planted: arbitrary-send-eth
    }

    function cancel(uint256 id) external {
        Deal storage deal = deals[id];
        require(deal.state == State.Funded && msg.sender == deal.seller);
        (bool done, ) = deal.buyer.call.value(deal.price)("");
        done; // the result does not stop what follows
        deal.state = State.Closed;
    }
}
