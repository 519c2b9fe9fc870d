pragma solidity ^0.5.0;

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address holder) external view returns (uint256);
}

contract Crowdsale {
    IERC20 public token;
    address payable public treasury;
    uint256 public rate;
    mapping(address => uint256) public bought;

    constructor(IERC20 _token, address payable _treasury, uint256 _rate) public {
        token = _token;
        treasury = _treasury;
        rate = _rate;
    }

    function buy() external payable {
        uint256 units = (msg.value / 1 szabo) * rate; // planted: divide-before-multiply
        bought[msg.sender] += units;
        token.transfer(msg.sender, units); // planted: unchecked-transfer
        treasury.transfer(msg.value);
    }

    function pull(address from, uint256 amount) external {
        require(token.transferFrom(from, address(this), amount)); // planted: arbitrary-send-erc20
        bought[from] = bought[from] + amount;
    }
}
