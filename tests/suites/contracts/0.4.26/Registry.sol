pragma solidity ^0.4.24;

contract Registry {
    struct Entry {
        address owner;
        bytes32 label;
        uint256 paid;
    }

    address public admin = msg.sender;
    uint256 public count;
    mapping(uint256 => Entry) public entries;

    function register(bytes32 label) external payable {
        Entry entry; // planted: uninitialized-storage
        entry.owner = msg.sender;
        entry.label = label;
        entry.paid = msg.value;
        entries[count++] = entry;
    }

    function retire(address heir) external {
        selfdestruct(heir); // planted: suicidal
    }
}
