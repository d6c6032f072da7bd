export { addFirstKey, listKeys, readCurrentKey, replaceKey, type StoredKey } from './keys.ts'
export {
  listDueBatons,
  listDueUploads,
  listWitnesses,
  type PreparedWitness,
  recordDueWitness,
  type StoredWitness,
} from './records.ts'
