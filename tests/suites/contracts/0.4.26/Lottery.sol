pragma solidity ^0.4.24;

contract Owned {
    address public owner;

    constructor() public {
        owner = msg.sender;
    }

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }
}

contract Lottery is Owned {
    address public owner; // planted: shadowing-state
    address[] public players;

    function enter() external payable {
        require(msg.value == 0.1 ether);
        players.push(msg.sender);
    }

    function draw() external onlyOwner {
        uint256 place = uint256(blockhash(block.number - 1)) % players.length; // planted: weak-prng
        address winner = players[place];
        delete players;
        winner.send(address(this).balance); // planted: unchecked-send
    }
}
