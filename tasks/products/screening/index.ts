export { screenPerson } from './background.ts'
export { activateLoad, storeEntities } from './load.ts'
export { compareNames, weighWords } from './matching/names.ts'
export { splitName } from './names/words.ts'
