export { addFirstKey, listKeys, readCurrentKey, replaceKey, type StoredKey } from './keys.ts'
export {
  listDueBatons,
  listDueUploads,
  type PreparedWitness,
  prepareEnded,
  recordDueWitness,
  recordEnded,
} from './records.ts'
