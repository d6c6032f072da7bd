export { addReviewLink, decideVerification, listWaitingReviews } from './reviews.ts'
