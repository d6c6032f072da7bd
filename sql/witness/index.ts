export { addFirstKey, listKeys, readCurrentKey, replaceKey, type StoredKey } from './keys.ts'
export { listDueBatons, listDueUploads, type PreparedWitness, recordDueWitness } from './records.ts'
