export { forgetExpiredConnections } from './approvals.ts'
