export { listDueDisputes, recordRuling } from './disputes.ts'
