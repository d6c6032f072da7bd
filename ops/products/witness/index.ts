export { witnessEnded } from './ended.ts'
export { buildKeySet, listServiceKeys, openSigningKey } from './keys.ts'
export { keySetUrl } from './signing.ts'
