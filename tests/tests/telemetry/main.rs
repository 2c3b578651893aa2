//! One press from the button to the display, as an operator follows it: exported to a real receiver, scraped by somebody else's parser,
//! shown on the service's own pages.

mod bench;
mod pages;
mod process;
mod receiver;
mod scrape;
mod tree;
