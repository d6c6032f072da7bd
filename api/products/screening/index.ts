export { readCoverage } from './screen.ts'
