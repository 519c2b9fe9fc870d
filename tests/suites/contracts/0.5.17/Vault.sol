pragma solidity ^0.5.0;

contract Vault {
    mapping(address => mapping(address => uint256)) private shares;
    address private guardian;
    address payable private recipient; // planted: uninitialized-state

    constructor() public {
        guardian = msg.sender;
    }

    function put(address asset) external payable {
        shares[asset][msg.sender] += msg.value;
    }

    function take(address asset, uint256 part) external {
        require(shares[asset][msg.sender] >= part, "too much");
        (bool ok, ) = msg.sender.call.value(part)(""); // planted: reentrancy-eth
        require(ok, "not sent");
        shares[asset][msg.sender] -= part;
    }

    function sweep() external {
        require(msg.sender == guardian, "guardian only");
        recipient.transfer(address(this).balance);
    }
}
