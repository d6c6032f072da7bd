export { activate, addEntities, beginLoad, noteSeen } from './loads.ts'
