export { openLoadStore } from './loads.ts'
