export { describeLists } from './capabilities.ts'
export { readCoverage } from './screen.ts'
