import { createHmac } from 'node:crypto'
import { hasTokenForm, mintToken } from '#kit'
import { deriveKey, hashToken } from './secrets.ts'

/** Tokens of one kind. Whoever holds one may use it, so only its hash is stored. */
interface TokenKind {
  /** A new one; nothing but its holder can tell it again. */
  mint(): string
  /** That of an id. It is the same each time, so that its owner can be told again although it is stored nowhere. */
  derive(secret: string, id: string): string
  hasForm(text: string): boolean
  hash(secret: string, token: string): Buffer
}

/**
 * Declares tokens that begin with `prefix`. They are hashed with a key of the name `purpose`, and derived with one of its
 * own, so that a hash is never a token.
 */
export function defineTokens(prefix: string, purpose: string, derivation = `${purpose} of id`): TokenKind {
  return {
    mint: () => mintToken(prefix),
    derive: (secret, id) => prefix + createHmac('sha256', deriveKey(secret, derivation)).update(id).digest('base64url'),
    hasForm: text => hasTokenForm(prefix, text),
    hash: (secret, token) => hashToken(secret, purpose, token),
  }
}
