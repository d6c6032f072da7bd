export {
  countEntries,
  findCandidates,
  findIdentified,
  findVersion,
  findWords,
  listVersions,
  readEntities,
} from './lists.ts'
export { openLoadStore } from './loads.ts'
export { listFalsePositives } from './screenings.ts'
export { queueRefresh } from './steps.ts'
