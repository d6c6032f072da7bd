export { addFirstKey, listKeys, readCurrentKey, replaceKey, type StoredKey } from './keys.ts'
export {
  listDueBatons,
  listDueUploads,
  listWitnesses,
  type PreparedWitness,
  prepareEnded,
  recordDueWitness,
  recordEnded,
  type StoredWitness,
} from './records.ts'
