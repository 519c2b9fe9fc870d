// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;
contract T {
    event Transfer(address indexed from, address indexed to, uint256 value);
    string public symbol = "GNX";
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    constructor() { balanceOf[msg.sender] = 1e15; emit Transfer(address(0), msg.sender, 1e15); }
    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
