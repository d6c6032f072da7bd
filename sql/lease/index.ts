export { type LiveLease, listLiveLeases } from './list.ts'
export { type LeaseCall, type Purchase, purchaseLease } from './purchase.ts'
