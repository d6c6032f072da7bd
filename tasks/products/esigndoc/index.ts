export { chooseConsent } from './consent.ts'
export { findDay, formatMoment, isSigningDay, isTimeZone } from './dates.ts'
export { priceEnvelope } from './price.ts'
