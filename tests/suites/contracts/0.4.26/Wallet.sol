pragma solidity ^0.4.24;

contract WalletStorage {
    address public owner;
    address[] public backups;
    mapping(bytes4 => address) public plugins;
}

contract Wallet is WalletStorage {
    constructor(address firstOwner) public {
        owner = firstOwner;
    }

    function run(address plugin, bytes data) external returns (bool) {
        return plugin.delegatecall(data); // planted: controlled-delegatecall
    }

    function resize(uint256 size) external {
        require(msg.sender == owner);
        backups.length = size; // planted: controlled-array-length
    }

    function () external payable {}
}
