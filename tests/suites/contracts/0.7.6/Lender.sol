// SPDX-License-Identifier: MIT
pragma solidity ^0.7.0;

interface IOracle {
    function update(address asset) external returns (uint256);
    function price(address asset) external view returns (uint256);
}

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract Lender {
    IOracle public immutable oracle;
    IToken public immutable token;
    mapping(address => uint256) public debt;
    mapping(address => uint256) public collateral;

    constructor(IOracle o, IToken t) {
        oracle = o;
        token = t;
    }

    function borrow(uint256 amount) external payable {
        oracle.update(address(token)); // planted: unused-return
        collateral[msg.sender] += msg.value;
        debt[msg.sender] += amount;
        token.transfer(msg.sender, amount); // planted: unchecked-transfer
    }

    function repay(uint256 amount) external {
        require(token.transferFrom(msg.sender, address(this), amount), "not paid"); // planted: reentrancy-no-eth
        debt[msg.sender] -= amount;
    }

    function release() external {
        require(debt[msg.sender] == 0, "in debt");
        uint256 amount = collateral[msg.sender];
        collateral[msg.sender] = 0;
        msg.sender.transfer(amount);
    }
}
