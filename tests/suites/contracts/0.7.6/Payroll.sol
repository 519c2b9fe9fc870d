// SPDX-License-Identifier: MIT
pragma solidity ^0.7.0;

contract Payroll {
    struct Worker {
        uint256 wage;
        mapping(uint256 => bool) paid;
    }

    address public boss;
    mapping(address => Worker) private workers;

    constructor() payable {
        boss = msg.sender;
    }

    function hire(address who, uint256 wage) external {
        require(msg.sender == boss, "boss only");
        workers[who].wage = wage;
    }

    function fire(address who) external {
        require(msg.sender == boss, "boss only");
        delete workers[who]; // planted: mapping-deletion
    }

    function payAll(address payable[] memory all, uint256 month) public {
        uint256 paid; // planted: uninitialized-local
        for (uint256 i = 0; i < all.length; i++) {
            Worker storage worker = workers[all[i]];
            if (!worker.paid[month]) {
                worker.paid[month] = true;
                paid += worker.wage;
                all[i].send(worker.wage); // planted: unchecked-send
            }
        }
    }
}
