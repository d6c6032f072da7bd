export { forgetDeliveries } from './endpoints.ts'
