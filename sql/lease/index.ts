export { type LiveLease, listLiveLeases } from './list.ts'
