export { listSealRoots, readCurrentSealKey, replaceSealKey, type StoredSealKey } from './seal-key.ts'
