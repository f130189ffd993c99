export * from './prices.ts';
