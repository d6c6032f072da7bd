import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { hashWord } from '../secrets.ts'

export const LINK_MINUTES = 15

/** An address that signs in once, and the hash that is kept in its place. */
export function newLink(config: Pick<Config, 'secret' | 'publicUrl'>): { url: string; hash: Buffer } {
  const word = randomBytes(32).toString('base64url')
  return { url: `${config.publicUrl}/sign-in/link/${word}`, hash: linkHash(config, word) }
}

export function linkHash({ secret }: Pick<Config, 'secret'>, word: string): Buffer {
  return hashWord(secret, 'sign-in link', word)
}
