pragma solidity ^0.4.24;

contract Savings {
    struct Account {
        uint256 balance;
        uint256 since;
    }

    mapping(address => Account) public accounts;
    address public manager;
    uint256 public feeBasisPoints = 30;

    constructor() public {
        manager = msg.sender;
    }

    function deposit() external payable {
        accounts[msg.sender].balance += msg.value;
        accounts[msg.sender].since = now;
    }

    function withdrawAll() external {
        uint256 amount = accounts[msg.sender].balance;
        require(amount > 0);
        uint256 fee = (amount * feeBasisPoints) / 10000;
        require(msg.sender.call.value(amount - fee)()); // planted: reentrancy-eth
        accounts[msg.sender].balance = 0;
    }

    function setFee(uint256 basisPoints) external {
        require(tx.origin == manager); // planted: tx-origin
        feeBasisPoints = basisPoints;
    }
}
