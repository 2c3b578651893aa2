//! An organiser's side of the service: over the wire, on a journal in memory or on disk.

mod hall;

mod acts;
mod broadcast;
mod closing;
mod desk;
mod restart;
mod results;
mod rounds;
mod shell;
mod story;
mod table;
