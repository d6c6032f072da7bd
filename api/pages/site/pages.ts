import { changelogPage } from './changelog.ts'
import { comparePage } from './compare.ts'
import { landingPage } from './landing.ts'
import { pricingPage } from './pricing.ts'

/** The website. */
export const sitePages = [landingPage, pricingPage, comparePage, changelogPage]
