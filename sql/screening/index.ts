export { activate, openLoadStore } from './loads.ts'
