// SPDX-License-Identifier: MIT
// Written for a replica. It is not the code of any real token.
pragma solidity ^0.8.20;

import {IERC20} from "./interfaces/IERC20.sol";

contract LinkToken is IERC20 {
    string public constant name = "Chainlink (replica)";
    string public constant symbol = "LINK";
    uint8 public constant decimals = 18;

    uint256 public immutable totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(address treasury) {
        totalSupply = 1_000_000_000 * 10 ** uint256(decimals);
        balanceOf[treasury] = totalSupply;
        emit Transfer(address(0), treasury, totalSupply);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= amount, "not allowed");
        allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
        return true;
    }

    function shareOfSupply(address holder, uint256 units) external view returns (uint256) {
        uint256 share = balanceOf[holder] / totalSupply;
        return share * units;
    }

    function _move(address from, address to, uint256 amount) private {
        require(to != address(0), "no receiver");
        require(balanceOf[from] >= amount, "too little");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}
