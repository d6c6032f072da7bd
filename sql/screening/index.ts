export {
  countEntries,
  findIdentified,
  findVersion,
  listPostings,
  listVersions,
  listWords,
  readBodies,
  readCompared,
} from './lists.ts'
export { openLoadStore } from './loads.ts'
export { listFalsePositives } from './screenings.ts'
export { queueRefresh } from './steps.ts'
