// SPDX-License-Identifier: MIT
pragma solidity ^0.7.0;

contract Timelock {
    address public proposer;
    mapping(bytes32 => uint256) public queued;
    uint256 public delay = 2 days;

    constructor() {
        proposer = msg.sender;
    }

    function queue(address target, bytes calldata data) external {
        require(msg.sender == proposer, "proposer only");
        queued[keccak256(abi.encode(target, data))] = block.timestamp + delay;
    }

    function execute(address target, bytes calldata data) external payable {
        bytes32 id = keccak256(abi.encode(target, data));
        uint256 eta;
        if (queued[id] != 0) {
            eta = queued[id];
        }
        require(block.timestamp >= eta, "too early");
        (bool ok, ) = target.delegatecall(data); // planted: controlled-delegatecall
        require(ok, "reverted");
    }

    function drain() external {
        selfdestruct(payable(tx.origin)); // planted: suicidal
    }
}
