export { witnessEnded } from './ended.ts'
export { buildKeySet, openSigningKey } from './keys.ts'
export { keySetUrl } from './signing.ts'
