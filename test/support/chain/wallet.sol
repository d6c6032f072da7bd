// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A contract wallet that accepts the signatures of its owner.
contract Wallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer =
            ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Creates such wallets at addresses that can be computed before.
contract Factory {
    function make(address owner, bytes32 salt) external returns (address) {
        return address(new Wallet{salt: salt}(owner));
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(Wallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, code)))));
    }
}

/// Broadcasts two signed transfers in one transaction, to test that one payment is not counted twice.
contract Bundle {
    function both(address coin, bytes calldata first, bytes calldata second) external {
        (bool isFirstDone,) = coin.call(first);
        (bool isSecondDone,) = coin.call(second);
        require(isFirstDone && isSecondDone, "Bundle: refused");
    }
}
