/** What a wallet is asked to sign, or says it has signed: an EIP-4361 text. */
export interface WalletMessage {
  domain: string
  address: string
  uri: string
  chainId: number
  nonce: string
}

/** The text itself; nonces are at least eight letters or digits. */
export async function writeWalletMessage(
  message: WalletMessage & { issuedAt: Date; expiresAt: Date; statement: string },
): Promise<string> {
  const [{ createSiweMessage }, { getAddress }] = await Promise.all([import('viem/siwe'), import('viem')])
  const { issuedAt, expiresAt: expirationTime, address, ...rest } = message
  return createSiweMessage({ ...rest, address: getAddress(address), version: '1', issuedAt, expirationTime })
}

/** The address in the spelling wallets show. */
export async function checksummed(address: string): Promise<string> {
  const { getAddress } = await import('viem')
  return getAddress(address)
}

/** Reads a text back; nothing when it is no such text, or says itself that it is not valid now. */
export async function readWalletMessage(text: string, now: Date): Promise<WalletMessage | undefined> {
  const { parseSiweMessage, validateSiweMessage } = await import('viem/siwe')
  const message = parseSiweMessage(text)
  if (message.version !== '1' || !validateSiweMessage({ message, time: now })) return undefined
  const { domain, address, uri, chainId, nonce } = message
  return domain && address && uri && chainId && nonce ? { domain, address, uri, chainId, nonce } : undefined
}

/** Whether the key of a plain account signed the text (EIP-191). */
export async function isSignedBy(signed: { address: string; message: string; signature: string }): Promise<boolean> {
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
