/** The fields of an EIP-4361 text, which a wallet signs to sign in. */
interface WalletMessage {
  domain: string
  address: string
  uri: string
  chainId: number
  nonce: string
}

/** Formats the text; a nonce must have at least eight letters or digits. */
export async function writeWalletMessage(
  message: WalletMessage & { issuedAt: Date; expiresAt: Date; statement: string },
): Promise<string> {
  const [{ createSiweMessage }, { getAddress }] = await Promise.all([import('viem/siwe'), import('viem')])
  const { issuedAt, expiresAt: expirationTime, address, ...rest } = message
  return createSiweMessage({ ...rest, address: getAddress(address), version: '1', issuedAt, expirationTime })
}

/** The address with the EIP-55 checksum, as wallets show it. */
export async function toChecksumAddress(address: string): Promise<string> {
  const { getAddress } = await import('viem')
  return getAddress(address)
}

/** Whether capital and small letters of an address are those of its checksum. Letters of one kind alone have none. */
export async function hasRightChecksum(address: string): Promise<boolean> {
  const digits = address.slice(2)
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isPlain || (await toChecksumAddress(address)) === address
}

/** Parses a text; gives undefined if it is not an EIP-4361 text or is not valid at this time. */
export async function readWalletMessage(text: string, now: Date): Promise<WalletMessage | undefined> {
  const { parseSiweMessage, validateSiweMessage } = await import('viem/siwe')
  const message = parseSiweMessage(text)
  if (message.version !== '1' || !validateSiweMessage({ message, time: now })) return undefined
  const { domain, address, uri, chainId, nonce } = message
  return domain && address && uri && chainId && nonce ? { domain, address, uri, chainId, nonce } : undefined
}

/** Whether the key of a plain account signed the text (EIP-191). */
export async function isSignedByAddress(signed: {
  address: string
  message: string
  signature: string
}): Promise<boolean> {
  const { recoverMessageAddress } = await import('viem')
  try {
    const signer = await recoverMessageAddress({
      message: signed.message,
      signature: signed.signature as `0x${string}`,
    })
    return signer.toLowerCase() === signed.address.toLowerCase()
  } catch {
    return false
  }
}
