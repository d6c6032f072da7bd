export { chooseConsent } from './consent.ts'
export { findDay, formatMoment, isTimeZone } from './dates.ts'
export { priceEnvelope } from './price.ts'
