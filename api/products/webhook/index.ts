export { requireAllowedUrl, requireBatonEvents } from './registration.ts'
