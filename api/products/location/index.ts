export { listLeastPrices, openLocation, reportProviders } from './providers.ts'
